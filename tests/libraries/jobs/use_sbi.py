"""Neural posterior and likelihood estimation of a Gaussian simulator, and samples from both."""

import json
import warnings

import torch
from sbi.inference import NLE, NPE
from sbi.utils import BoxUniform

warnings.simplefilter("ignore")
torch.manual_seed(0)
prior = BoxUniform(-2 * torch.ones(2), 2 * torch.ones(2))
theta = prior.sample((200,))
x = theta + 0.3 * torch.randn_like(theta)
options = {"max_num_epochs": 3, "training_batch_size": 50, "show_train_summary": False}
trainer = NPE(prior, density_estimator="maf", show_progress_bars=False)
estimator = trainer.append_simulations(theta, x).train(**options)
posterior = trainer.build_posterior(estimator)
observed = torch.zeros(2)
samples = posterior.sample((50,), x=observed, show_progress_bars=False)
second = NLE(prior, density_estimator="nsf", show_progress_bars=False)
second.append_simulations(theta, x).train(**options)
print(
    json.dumps(
        {
            "training": trainer.summary["training_loss"],
            "validation": trainer.summary["validation_loss"],
            "density": posterior.log_prob(theta[:5], x=observed).tolist(),
            "samples": samples.flatten().tolist(),
            "likelihood": second.summary["validation_loss"],
        }
    )
)
