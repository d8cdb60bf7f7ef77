"""Plan ids: three words that a file system can hold."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from planmode.core.errors import PlanInvalidError

_VALID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_LONGEST: Final = 120
_TRIES: Final = 20


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST: Final = _words("""
    amber ample azure bold brave brisk calm candid clear clever cosy crisp deft eager early even
    fair fleet fond frank fresh gentle glad golden grand green happy hardy hazel honest humble
    ivory jolly keen kind late level light lively loyal lucid lunar mellow merry mild misty
    modest neat nimble noble novel olive patient plain plucky polite prime proud quick quiet
    rapid ready ripe royal rustic sage sandy sharp silent silver simple sleek slow snug solid
    spry steady still stout sunny sure swift tidy true upbeat vivid warm wise witty young
""")
SECOND: Final = _words("""
    acorn alder apple arrow aspen badge bamboo basil beacon birch bramble bridge brook cabin
    canyon cedar cherry cliff cloud clover cobalt comet copper coral cotton creek crystal dune
    ember fern field flint forest garden ginger glacier granite grove harbor hazel heath hill
    indigo island ivy jade juniper lake lantern laurel lemon lilac linen lotus maple marble
    meadow mint moss oak ocean olive opal orchid pebble pepper pine plum poplar prairie quartz
    reef ridge river saffron sage shell slate spruce stone summit thyme tundra valley willow
""")
THIRD: Final = _words("""
    badger beaver bison bobcat camel crane crow deer dingo dolphin dove eagle egret elk falcon
    ferret finch fox gecko gibbon goose grouse gull hare hawk heron horse hyena ibex ibis iguana
    jackal jaguar jay kestrel kite koala lark lemur leopard linnet lion lizard llama lynx magpie
    marmot marten mole moose newt ocelot orca oriole osprey otter owl panda panther parrot
    pelican pigeon plover puffin puma quail rabbit raven robin salmon seal shrew skink sparrow
    stoat stork swan swift tapir tern tiger toad trout turtle viper vole walrus weasel whale
    wolf
""")


def plan_id(choose: Callable[[Sequence[str]], str], taken: Collection[str]) -> str:
    """Return a plan id that is not in ``taken``.

    ``choose`` picks one item of a sequence (a random source that the caller owns).
    """
    slug = _three_words(choose)
    for _ in range(_TRIES):
        if slug not in taken:
            return slug
        slug = _three_words(choose)
    return next(
        numbered for n in range(2, 2 + len(taken) + 1) if (numbered := f"{slug}-{n}") not in taken
    )


def _three_words(choose: Callable[[Sequence[str]], str]) -> str:
    return "-".join(choose(words) for words in (FIRST, SECOND, THIRD))


def checked(slug: str) -> str:
    """Return ``slug`` when it is a plan id.

    Raises:
        PlanInvalidError: it holds anything but lower-case letters, digits and single hyphens.
    """
    if len(slug) > _LONGEST or not _VALID.match(slug):
        raise PlanInvalidError(f"{slug!r} is no plan id: use words of a-z and 0-9 joined by '-'")
    return slug
