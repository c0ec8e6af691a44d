"""PPO, A2C, DQN and SAC learn for a few updates, predict, and are saved and loaded."""

import json
import warnings

import gymnasium as gym
import numpy as np
from stable_baselines3 import A2C, DQN, PPO, SAC
from stable_baselines3.common.evaluation import evaluate_policy

warnings.simplefilter("ignore")
small = {"seed": 0, "device": "cpu"}
agents = {
    "ppo": PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, n_epochs=2, **small),
    "a2c": A2C("MlpPolicy", "CartPole-v1", n_steps=8, **small),
    "dqn": DQN("MlpPolicy", "CartPole-v1", learning_starts=20, batch_size=16, **small),
    "sac": SAC("MlpPolicy", "Pendulum-v1", learning_starts=20, batch_size=16, **small),
}
printed = {}
for name, agent in agents.items():
    agent.learn(128 if name != "sac" else 40)
    space = agent.observation_space
    observation = np.linspace(0.01, 0.04, space.shape[0], dtype=space.dtype)
    action, _ = agent.predict(observation, deterministic=True)
    agent.save(name)
    again = type(agent).load(name, device="cpu")
    printed[name] = {
        "action": np.asarray(action, dtype=float).ravel().tolist(),
        "same": bool((again.predict(observation, deterministic=True)[0] == action).all()),
        "weights": [float(p.detach().sum()) for p in agent.policy.parameters()],
        "log": {
            key: float(value)
            for key, value in sorted(agent.logger.name_to_value.items())
            if key.startswith("train/")
        },
    }
env = gym.make("CartPole-v1")
env.reset(seed=1)
reward, spread = evaluate_policy(agents["ppo"], env, n_eval_episodes=2)
printed["reward"] = [float(reward), float(spread)]
print(json.dumps(printed))
