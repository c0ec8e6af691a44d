"""A graph attention network on a synthetic graph of communities."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import Adam


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, n_heads, concat=False, dropout=0.4, slope=0.2):
        super(GraphAttentionLayer, self).__init__()
        self.n_heads, self.concat, self.dropout = n_heads, concat, dropout
        self.n_hidden = out_features // n_heads if concat else out_features
        self.W = nn.Parameter(torch.empty(size=(in_features, self.n_hidden * n_heads)))
        self.a = nn.Parameter(torch.empty(size=(n_heads, 2 * self.n_hidden, 1)))
        self.leakyrelu = nn.LeakyReLU(slope)
        self.softmax = nn.Softmax(dim=1)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_normal_(self.W)
        nn.init.xavier_normal_(self.a)

    def forward(self, h, adj_mat):
        n_nodes = h.shape[0]
        h_t = torch.mm(h, self.W).view(n_nodes, self.n_heads, self.n_hidden).permute(1, 0, 2)
        source = torch.matmul(h_t, self.a[:, : self.n_hidden, :])
        target = torch.matmul(h_t, self.a[:, self.n_hidden :, :])
        e = self.leakyrelu(source + target.mT)
        connectivity_mask = -9e16 * torch.ones_like(e)
        e = torch.where(adj_mat > 0, e, connectivity_mask)
        attention = F.softmax(e, dim=-1)
        attention = F.dropout(attention, self.dropout, training=self.training)
        h_prime = torch.matmul(attention, h_t)
        if self.concat:
            return h_prime.permute(1, 0, 2).contiguous().view(n_nodes, -1)
        return h_prime.mean(dim=0)


class GAT(nn.Module):
    def __init__(self, in_features, n_hidden, n_heads, num_classes, dropout=0.0):
        super(GAT, self).__init__()
        self.gat1 = GraphAttentionLayer(in_features, n_hidden, n_heads, True, dropout)
        self.gat2 = GraphAttentionLayer(n_hidden, num_classes, 1, False, dropout)

    def forward(self, x, adj_mat):
        x = F.elu(self.gat1(x, adj_mat))
        return F.log_softmax(self.gat2(x, adj_mat), dim=1)


torch.manual_seed(13)
nodes, classes = 60, 3
labels = torch.arange(nodes) % classes
same = labels[:, None] == labels[None, :]
edges = torch.rand(nodes, nodes) < torch.where(same, 0.25, 0.03)
adj_mat = (edges | edges.T | torch.eye(nodes, dtype=torch.bool)).float()
features = F.one_hot(labels, classes).float() + 1.0 * torch.randn(nodes, classes)
idx = torch.randperm(nodes)
idx_test, idx_train = idx[:20], idx[20:]
gat_net = GAT(classes, 16, 4, classes)
optimizer = Adam(gat_net.parameters(), lr=0.02, weight_decay=5e-4)
criterion = nn.NLLLoss()
for epoch in range(40):
    gat_net.train()
    optimizer.zero_grad()
    output = gat_net(features, adj_mat)
    loss = criterion(output[idx_train], labels[idx_train])
    loss.backward()
    optimizer.step()
    if epoch % 5 == 0 or epoch == 39:
        gat_net.eval()
        with torch.no_grad():
            pred = gat_net(features, adj_mat)[idx_test].argmax(dim=1)
            acc = pred.eq(labels[idx_test]).float().mean().item()
        print(f"Epoch {epoch + 1:04d} test accuracy: {acc:.3f} loss: {loss.item():.5f}")
