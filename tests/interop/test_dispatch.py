"""SciPy and scikit-learn on tensors, through the array API standard."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import chainrule as torch, sklearn, scipy.special, scipy.stats
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler
sklearn.set_config(array_api_dispatch=True)
x = torch.randn(30, 4, dtype=torch.float64)
y = x @ torch.ones(4, dtype=torch.float64)
for found in (scipy.special.logsumexp(x, axis=0), scipy.stats.zscore(x), PCA(2).fit_transform(x),
              StandardScaler().fit_transform(x), Ridge(solver="svd").fit(x, y).predict(x)):
    assert type(found) is torch.Tensor and found.dtype is torch.float64, found
assert torch.allclose(StandardScaler().fit_transform(x).mean(0), torch.zeros(4).double(), atol=1e-6)
"""


def test_scipy_and_sklearn_return_tensors_of_tensors():
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    pytest.importorskip("array_api_compat", reason="needs array-api-compat")
    subprocess.run([sys.executable, "-W", "ignore", "-c", SCRIPT], check=True,
                   env={**os.environ, "SCIPY_ARRAY_API": "1"}, timeout=100)  # fmt: skip
