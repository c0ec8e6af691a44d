"""What other libraries' tests take from the tests of PyTorch itself."""
