"""What the programs run on: documents, backbones, prompts, limits, files of a run."""
