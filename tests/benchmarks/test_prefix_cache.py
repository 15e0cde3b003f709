"""The arithmetic of the simulated prefix cache."""

from prefix_cache import PrefixCache, count_tokens

DOCUMENT = "".join(f"{number:03d} " for number in range(1000))  # 1,000 tokens, no two blocks alike


def cache(capacity_tokens: int = 100_000) -> PrefixCache:
    return PrefixCache(capacity_tokens=capacity_tokens, block_tokens=100, minimum_tokens=200)


def test_a_shared_prefix_of_characters_is_a_shared_prefix_of_blocks() -> None:
    blocks = cache().blocks(DOCUMENT + "first task" * 80)
    others = cache().blocks(DOCUMENT + "another task" * 80)

    assert count_tokens(DOCUMENT) == 1000
    assert blocks[:10] == others[:10]
    assert not set(blocks[10:]) & set(others[10:])


def test_the_rest_of_an_incomplete_block_is_never_cached() -> None:
    store = cache()
    prompt = DOCUMENT + "x" * 399

    store.insert(store.blocks(prompt), ready_at=0.0)

    assert store.cached_tokens(store.blocks(prompt), now=1.0) == 1000


def test_a_prompt_is_readable_only_when_its_prefill_is_done() -> None:
    store = cache()
    blocks = store.blocks(DOCUMENT)

    store.insert(blocks, ready_at=5.0)

    assert store.cached_tokens(blocks, now=4.9) == 0
    assert store.cached_tokens(blocks, now=5.0) == 1000


def test_the_first_of_two_cold_requests_makes_the_prefix_readable() -> None:
    store = cache()
    blocks = store.blocks(DOCUMENT)

    store.insert(blocks, ready_at=5.0)
    store.insert(blocks, ready_at=9.0)

    assert store.cached_tokens(blocks, now=6.0) == 1000


def test_a_change_at_the_start_loses_the_whole_prefix() -> None:
    store = cache()
    store.insert(store.blocks(DOCUMENT), ready_at=0.0)

    assert store.cached_tokens(store.blocks("x" + DOCUMENT), now=1.0) == 0


def test_hits_below_the_minimum_do_not_count() -> None:
    store = cache()
    store.insert(store.blocks(DOCUMENT[:400]), ready_at=0.0)

    assert store.cached_tokens(store.blocks(DOCUMENT), now=1.0) == 0


def test_models_share_nothing() -> None:
    store = cache()
    store.insert(store.blocks(DOCUMENT, model="one"), ready_at=0.0)

    assert store.cached_tokens(store.blocks(DOCUMENT, model="two"), now=1.0) == 0


def test_the_least_recently_used_document_is_evicted_first() -> None:
    store = cache(capacity_tokens=2000)
    first, second, third = (store.blocks(letter + DOCUMENT) for letter in "abc")
    store.insert(first, ready_at=0.0)
    store.insert(second, ready_at=0.0)
    store.cached_tokens(first, now=1.0)

    store.insert(third, ready_at=1.0)

    assert len(store) == 20
    assert store.cached_tokens(first, now=2.0) == 1000
    assert store.cached_tokens(second, now=2.0) == 0


def test_eviction_shortens_a_prefix_from_its_end() -> None:
    store = cache(capacity_tokens=1000)
    blocks = store.blocks(DOCUMENT)
    store.insert(blocks, ready_at=0.0)

    store.insert(store.blocks("other" + DOCUMENT[:1600]), ready_at=0.0)

    assert store.cached_tokens(blocks, now=1.0) == 600


def test_prefix_hash_tells_documents_apart_and_ignores_tasks() -> None:
    store = cache()
    name = store.prefix_hash(store.blocks(DOCUMENT + "task"))

    assert name == store.prefix_hash(store.blocks(DOCUMENT))
    assert name != store.prefix_hash(store.blocks("x" + DOCUMENT))
    assert store.prefix_hash([]) == ""
