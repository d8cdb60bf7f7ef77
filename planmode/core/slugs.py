"""Plan ids: a few words that a file system can hold."""

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

from planmode.core.errors import PlanInvalidError

_VALID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_LONGEST: Final = 120
_TRIES: Final = 20
_MOST_TOPICS: Final = 3
_LOOKED_AT: Final = 4000
"""Characters of a prompt; what it is about stands at its beginning."""
_NO_TOPIC: Final = re.compile(
    r"""
    ```.*?(?:```|\Z)  # code
    | \[[^\[\]]*\#[0-9]+[^\[\]]*\]  # what stands for an attachment, such as [image #1]
    | \[(?:image|file|pasted|attachment|screenshot)\b[^\[\]]*\]
    | </?[a-z][^<>]*>  # the same as a tag
    | [a-z][a-z0-9+.-]*://[!-~]+ | www\.[!-~]+
    | [!-~]*[/\\@][!-~]*  # paths, names of people
    | ['\u2019][a-z]*  # the end of a short form
    """,
    re.DOTALL | re.VERBOSE,
)
_TOPIC: Final = re.compile(r"(?<![a-z0-9])[a-z]{2,16}[0-9]{0,2}(?![a-z0-9])")
"""A word, or one with its number; keys and hashes are none, and nobody wants them in a name."""


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


_STOP_WORDS: Final = frozenset(
    _words("""
    about after all also am an and any are as at be been before but by can cannot could did do
    does doing don done each for from get give go had has have having he help her here hi hello
    hey him his how if in into is isn it its just kindly let lets like ll make may me might more
    most must my need needs new no not now of off on once one only or our out over own plan
    planning please re really shall she should so some such sure than thank thanks that the their
    them then there these they this those to too try up us use using ve very want wants was we
    were what when where which while who why will with without won would yes you your
""")
)


def plan_id(choose: Callable[[Sequence[str]], str], taken: Collection[str]) -> str:
    """Return a plan id of three random words that is not in ``taken``.

    ``choose`` picks one item of a sequence (a random source that the caller owns).
    """
    return _fresh(partial(_drawn, choose, (FIRST, SECOND, THIRD)), taken)


def prompt_plan_id(
    prompt: str, choose: Callable[[Sequence[str]], str], taken: Collection[str]
) -> str:
    """Return a plan id of up to three words of ``prompt`` and two random ones, not in ``taken``.

    At most 80 characters. What stands for an attachment, addresses, paths and code give no words;
    a prompt without any of a to z gives a ``plan_id``. ``choose`` is as there.
    """
    topics = _topics(prompt)
    if not topics:
        return plan_id(choose, taken)
    return _fresh(partial(_drawn, choose, (*((topic,) for topic in topics), FIRST, THIRD)), taken)


def _topics(prompt: str) -> tuple[str, ...]:
    folded = unicodedata.normalize("NFKD", prompt[:_LOOKED_AT].casefold())
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    words = _TOPIC.findall(_NO_TOPIC.sub(" ", plain))
    return tuple(dict.fromkeys(word for word in words if word not in _STOP_WORDS))[:_MOST_TOPICS]


def _fresh(draw: Callable[[], str], taken: Collection[str]) -> str:
    slug = draw()
    for _ in range(_TRIES):
        if slug not in taken:
            return slug
        slug = draw()
    return next(
        numbered for n in range(2, 2 + len(taken) + 1) if (numbered := f"{slug}-{n}") not in taken
    )


def _drawn(choose: Callable[[Sequence[str]], str], lists: Sequence[Sequence[str]]) -> str:
    return "-".join(choose(words) for words in lists)


def checked(slug: str) -> str:
    """Return ``slug`` when it is a plan id.

    Raises:
        PlanInvalidError: it holds anything but lower-case letters, digits and single hyphens.
    """
    if len(slug) > _LONGEST or not _VALID.match(slug):
        raise PlanInvalidError(f"{slug!r} is no plan id: use words of a-z and 0-9 joined by '-'")
    return slug
