"""Six posteriors by 256 chains: smallest bulk effective sample size per second, warm-up included, compiling excluded.

Against NumPyro (vectorised chains) both do the same: as many warm-up draws as draws, at their common default target
acceptance of 0.8. How many is chosen for NumPyro, whose chains all wait for the longest trajectory: with three of the
posteriors that takes it minutes. Against nutpie, whose target is 0.8 too, either side runs as its users run it: ours
1,000 draws after 1,000, nutpie 1,000 after its own 400, on its own threads, in fewer chains, because its chains do not
share anything. Every measurement starts afresh with another seed. Whoever's means or deviations are not the
reference's is named, and the figure counts as missed. --quick makes 200 draws of eight schools against NumPyro, once.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import measuring as m

CHAINS = 256
NUMPYRO, NUTPIE = "NumPyro", "nutpie"


@dataclass(frozen=True)
class Work:
    """One posterior: draws of a chain (and as many in warm-up); chains of nutpie."""

    name: str
    posterior: str
    draws: int
    nutpie_chains: int
    nutpie_floor: float = 1.5


WORKS = (
    Work("eight schools", "eight_schools-eight_schools_noncentered", 1000, 64, 5.0),
    Work("kidscore", "kidiq-kidscore_momhsiq", 200, 16),
    Work("GARCH(1,1)", "garch-garch11", 200, 16),
    Work("hidden Markov", "hmm_example-hmm_example", 100, 8),
    Work("Gaussian process", "gp_pois_regr-gp_regr", 200, 16),
    Work("Lotka-Volterra", "hudson_lynx_hare-lotka_volterra", 100, 8),
)


def against_numpyro(work: Work, rounds: int) -> m.Figure:
    peer = m.peer("numpyro_posterior.py", work.posterior, CHAINS, work.draws, work.draws)
    return against(work, NUMPYRO, peer, work.draws, 10.0, rounds)


def against_nutpie(work: Work, rounds: int) -> m.Figure:
    peer = m.peer("nutpie_posterior.py", work.posterior, work.nutpie_chains, 400, 1000)
    return against(work, NUTPIE, peer, 1000, work.nutpie_floor, rounds)


def against(work: Work, peer: str, command: Sequence[str], draws: int, floor: float, rounds: int) -> m.Figure:
    """Ours with so many draws, after as many of warm-up, against one peer."""
    ours = m.here("ours_posterior.py", work.posterior, CHAINS, draws, draws)
    with m.contenders({"ours": ours, peer: command}) as processes:
        rates = m.interleaved(processes, rounds)
    agree = reported(work, draws, processes)
    name = f"{work.name}, {CHAINS} chains, {draws} draws"
    figure = m.comparison(name, "ESS/s", rates, peer, floor)
    return m.show(replace(figure, met=figure.met and agree))


def reported(work: Work, draws: int, processes: Sequence[m.Contender]) -> bool:
    """Prints what the runs were beside their rates; whether all of them found the reference's posterior."""
    agree = True
    for process in processes:
        answers = process.answers
        seconds, count = (median(answer[key] for answer in answers) for key in ("seconds", "count"))
        ready = answers[0]["ready"]
        text = f"{work.name}, {process.name}: {seconds:.3g} s (ready after {ready:.3g} s), ESS {count:.0f}"
        if "leapfrogs" in answers[0]:
            leapfrogs = median(answer["leapfrogs"] for answer in answers)
            text += (
                f", {m.short(leapfrogs)} leapfrogs, {m.short(leapfrogs / seconds)}/s, {answers[0]['machine']}"
            )
        print(text, file=sys.stderr, flush=True)
        for complaint in (complaint for answer in answers for complaint in answer["wrong"]):
            agree = False
            print(f"{work.name}, {process.name} is wrong: {complaint}", file=sys.stderr, flush=True)
    return agree


def main() -> None:
    options = m.options(__doc__)
    if options.quick:
        figures = [against_numpyro(replace(WORKS[0], draws=200), 1)]
    else:
        figures = [each(work, options.rounds) for work in WORKS for each in (against_numpyro, against_nutpie)]
    print(m.table(figures))


if __name__ == "__main__":
    main()
