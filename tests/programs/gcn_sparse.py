"""A graph convolutional network whose adjacency is a sparse tensor (torch.spmm)."""

import math

import torch
import torch.nn.functional as F
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class GraphConvolution(Module):
    def __init__(self, in_features, out_features, bias=True):
        super(GraphConvolution, self).__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(torch.FloatTensor(in_features, out_features))
        if bias:
            self.bias = Parameter(torch.FloatTensor(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1.0 / math.sqrt(self.weight.size(1))
        self.weight.data.uniform_(-stdv, stdv)
        if self.bias is not None:
            self.bias.data.uniform_(-stdv, stdv)

    def forward(self, input, adj):
        support = torch.mm(input, self.weight)
        output = torch.spmm(adj, support)
        return output + self.bias if self.bias is not None else output

    def __repr__(self):
        return f"{self.__class__.__name__} ({self.in_features} -> {self.out_features})"


class GCN(Module):
    def __init__(self, nfeat, nhid, nclass):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass)

    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        return F.log_softmax(self.gc2(x, adj), dim=1)


torch.manual_seed(42)
nodes, classes = 60, 3
labels = torch.arange(nodes) % classes
same = labels[:, None] == labels[None, :]
adj = (torch.rand(nodes, nodes) < torch.where(same, 0.2, 0.02)).float()
adj = torch.maximum(adj, adj.t()) + torch.eye(nodes)
adj = adj / adj.sum(1, keepdim=True)
indices = adj.nonzero().t()
adj = torch.sparse_coo_tensor(indices, adj[indices[0], indices[1]], adj.shape)
print("sparse:", adj.is_sparse, adj.layout, tuple(adj.shape))
features = F.one_hot(labels, classes).float() + torch.randn(nodes, classes)
model = GCN(classes, 12, classes)
print(model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
train_idx = torch.arange(0, 40)
for epoch in range(50):
    model.train()
    optimizer.zero_grad()
    output = model(features, adj)
    loss_train = F.nll_loss(output[train_idx], labels[train_idx])
    loss_train.backward()
    optimizer.step()
    if epoch % 10 == 0 or epoch == 49:
        preds = output.max(1)[1].type_as(labels)
        acc = preds.eq(labels).double().sum() / len(labels)
        print(
            "Epoch: {:04d} acc: {:.4f} loss: {:.4f}".format(
                epoch + 1, acc.item(), loss_train.item()
            )
        )
