"""Distribution-based anonymization: groups whose sensitive values follow a target distribution."""

from sfumato.tables.distribution.target_distribution import TargetDistribution

__all__ = ["TargetDistribution"]
