"""GCN, GAT, SAGE, GIN and a transformer train on a graph; batches, pooling, two kinds of nodes."""

import json

import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import DataLoader
from torch_geometric.nn import (
    GATv2Conv,
    GCNConv,
    GINConv,
    HeteroConv,
    SAGEConv,
    TransformerConv,
    global_add_pool,
    global_mean_pool,
)
from torch_geometric.transforms import AddSelfLoops, NormalizeFeatures
from torch_geometric.utils import degree, softmax, to_dense_adj, to_undirected

torch.manual_seed(0)
edges = to_undirected(torch.randint(0, 30, (2, 60)))
graph = Data(x=torch.rand(30, 8), edge_index=edges, y=torch.randint(0, 3, (30,)))
graph = NormalizeFeatures()(graph)
LAYERS = {
    "gcn": lambda i, o: GCNConv(i, o),
    "gat": lambda i, o: GATv2Conv(i, o, heads=2, concat=False),
    "sage": lambda i, o: SAGEConv(i, o, aggr="max"),
    "gin": lambda i, o: GINConv(nn.Sequential(nn.Linear(i, o), nn.ReLU(), nn.Linear(o, o))),
    "transformer": lambda i, o: TransformerConv(i, o, heads=2, concat=False),
}


class Network(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.first, self.second = layer(8, 16), layer(16, 3)

    def forward(self, x, edge_index):
        x = F.dropout(F.relu(self.first(x, edge_index)), 0.2, self.training)
        return self.second(x, edge_index)


printed = {}
for name, layer in LAYERS.items():
    torch.manual_seed(0)
    model = Network(layer)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(graph.x, graph.edge_index), graph.y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    printed[name] = losses

several = [
    Data(x=torch.rand(n, 4), edge_index=torch.randint(0, n, (2, 2 * n)), y=torch.tensor([n % 2]))
    for n in range(4, 10)
]
convolution, head = GCNConv(4, 8), nn.Linear(16, 2)
losses = []
for batch in DataLoader(several, batch_size=3, shuffle=True):
    hidden = convolution(batch.x, batch.edge_index).relu()
    pooled = [global_mean_pool(hidden, batch.batch), global_add_pool(hidden, batch.batch)]
    losses.append(F.cross_entropy(head(torch.cat(pooled, 1)), batch.y).item())
printed["pooled"] = losses

mixed = HeteroData()
mixed["author"].x, mixed["paper"].x = torch.rand(5, 4), torch.rand(7, 6)
mixed["author", "writes", "paper"].edge_index = torch.stack(
    [torch.randint(0, 5, (9,)), torch.randint(0, 7, (9,))]
)
hetero = HeteroConv({("author", "writes", "paper"): SAGEConv((4, 6), 3)})
printed["hetero"] = hetero(mixed.x_dict, mixed.edge_index_dict)["paper"].flatten().tolist()
printed["degree"] = degree(edges[0], 30).tolist()
printed["softmax"] = softmax(torch.randn(edges.size(1)), edges[0]).tolist()[:10]
printed["dense"] = to_dense_adj(edges).sum().item()
printed["loops"] = AddSelfLoops()(graph).num_edges
print(json.dumps(printed))
