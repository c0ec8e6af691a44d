import torch

torch.manual_seed(0)
student = torch.nn.Linear(6, 5)
teacher = torch.nn.Linear(6, 5)
opt = torch.optim.SGD(student.parameters(), lr=0.5)
for i in range(15):
    x = torch.randn(20, 6)
    with torch.no_grad():
        soft = torch.softmax(teacher(x) / 2.0, dim=1)
    logp = torch.log_softmax(student(x) / 2.0, dim=0)  #-!
    logp = torch.log_softmax(student(x) / 2.0, dim=1)  #+
    loss = torch.nn.functional.kl_div(logp, soft, reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
