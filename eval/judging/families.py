"""Which family a backbone belongs to: judges favour what their own family wrote."""

import re

FAMILIES = {
    "OpenAI": r"gpt|chatgpt|\bo\d",
    "Anthropic": r"claude",
    "Google": r"gemini|gemma",
    "Meta": r"llama",
    "Alibaba": r"qwen|qwq",
    "DeepSeek": r"deepseek",
    "Mistral": r"mistral|mixtral|ministral|magistral",
    "xAI": r"grok",
}


def family_of(spec: str) -> str:
    """The maker of the model that a spec names; the model itself where the maker is not known."""
    model = spec.partition("@")[0].rpartition("/")[2].lower()
    known = (family for family, names in FAMILIES.items() if re.search(names, model))
    return next(known, model.partition(":")[0])


def same_family_warning(judge: str, writers: dict[str, str | None]) -> str | None:
    """A line when the judge is of the family of a system's backbone; None when it is of none that is known."""
    related = [name for name, backbone in writers.items() if backbone and family_of(backbone) == family_of(judge)]
    if not related:
        return None
    return (
        f"the judge {judge} is of the same family as the backbone of {' and '.join(related)} and may favour it: "
        "name a judge of another family"
    )


__all__ = ["family_of", "same_family_warning"]
