"""Deep Q-learning on a corridor: replay memory, target network, Huber loss, soft updates."""

import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.optim as optim

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class Corridor:
    """Walk from cell 0 to the last cell; every step costs a little."""

    length = 6

    def reset(self):
        self.at = 0
        return self.encoded()

    def encoded(self):
        state = torch.zeros(1, self.length)
        state[0, self.at] = 1.0
        return state

    def step(self, action):
        self.at = max(0, self.at + (1 if action == 1 else -1))
        done = self.at == self.length - 1
        return self.encoded(), (1.0 if done else -0.05), done


class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


random.seed(0)
torch.manual_seed(0)
env = Corridor()
policy_net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
target_net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=5e-3, amsgrad=True)
memory = ReplayMemory(500)
BATCH_SIZE, GAMMA, TAU = 32, 0.95, 0.05


def select_action(state, epsilon):
    if random.random() > epsilon:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(2)]], dtype=torch.long)


def optimize_model():
    if len(memory) < BATCH_SIZE:
        return None
    batch = Transition(*zip(*memory.sample(BATCH_SIZE)))
    non_final_mask = torch.tensor(tuple(s is not None for s in batch.next_state), dtype=torch.bool)
    non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
    state_batch = torch.cat(batch.state)
    action_batch = torch.cat(batch.action)
    reward_batch = torch.cat(batch.reward)
    state_action_values = policy_net(state_batch).gather(1, action_batch)
    next_state_values = torch.zeros(BATCH_SIZE)
    with torch.no_grad():
        next_state_values[non_final_mask] = target_net(non_final_next_states).max(1).values
    expected = (next_state_values * GAMMA) + reward_batch
    loss = nn.SmoothL1Loss()(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    return loss.item()


for episode in range(12):
    state, losses = env.reset(), []
    for t in range(40):
        action = select_action(state, epsilon=max(0.1, 0.9 - 0.08 * episode))
        observation, reward, done = env.step(action.item())
        memory.push(state, action, None if done else observation, torch.tensor([reward]))
        state = observation
        loss = optimize_model()
        if loss is not None:
            losses.append(loss)
        with torch.no_grad():
            for target, source in zip(target_net.parameters(), policy_net.parameters()):
                target.mul_(1 - TAU).add_(source, alpha=TAU)
        if done:
            break
    if losses:
        print(f"episode {episode} steps {t + 1} loss {sum(losses) / len(losses):.5f}")
values = policy_net(torch.eye(6)).max(1)
print(
    "best actions", values.indices[:5].tolist(), f"value at the start {values.values[0].item():.3f}"
)
