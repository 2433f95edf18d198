"""The ground that every room stands on: errors, randomness, kernels, checks of parameters, figures and progress."""
