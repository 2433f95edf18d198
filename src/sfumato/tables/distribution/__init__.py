"""Distribution-based anonymization: groups whose sensitive values follow a target distribution."""
