"""Six posteriors by 256 chains: smallest bulk effective sample size per second, warm-up included, compiling excluded.

Ours and NumPyro (vectorised chains) do the same: as many warm-up draws as draws, at their common default target
acceptance of 0.8. How many is chosen for NumPyro, whose vectorised chains all wait for the longest trajectory: with
three of the posteriors that takes it minutes, so --quick leaves these out. nutpie, whose target is 0.8 too, runs as
its users run it, on its own threads with its own warm-up: 400 draws before 1,000, in fewer chains, because its chains
do not share anything. Every measurement starts afresh with another seed. Whoever's means or deviations are not the
reference's is named, and the figure counts as missed.
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
    """One posterior: draws of a chain (and as many in warm-up), with --quick fewer or none; chains of nutpie."""

    name: str
    posterior: str
    draws: int
    quick: int | None
    nutpie_chains: int
    nutpie_floor: float = 1.5


WORKS = (
    Work("eight schools", "eight_schools-eight_schools_noncentered", 1000, 200, 64, 5.0),
    Work("kidscore", "kidiq-kidscore_momhsiq", 200, None, 16),
    Work("GARCH(1,1)", "garch-garch11", 200, 100, 16),
    Work("hidden Markov", "hmm_example-hmm_example", 100, None, 8),
    Work("Gaussian process", "gp_pois_regr-gp_regr", 200, 100, 16),
    Work("Lotka-Volterra", "hudson_lynx_hare-lotka_volterra", 100, None, 4),
)


def figures(work: Work, draws: int, nutpie_chains: int, rounds: int) -> list[m.Figure]:
    """Ours against both peers on one posterior."""
    commands = {
        "ours": m.here("ours_posterior.py", work.posterior, CHAINS, draws, draws),
        NUMPYRO: m.peer("numpyro_posterior.py", work.posterior, CHAINS, draws, draws),
        NUTPIE: m.peer("nutpie_posterior.py", work.posterior, nutpie_chains, 400, 1000),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
    wrong = reported(work, draws, processes)
    found = []
    for peer, floor in ((NUMPYRO, 10.0), (NUTPIE, work.nutpie_floor)):
        figure = m.comparison(f"{work.name}, {CHAINS} chains, {draws} draws", "ESS/s", rates, peer, floor)
        found.append(m.show(replace(figure, met=figure.met and not wrong & {"ours", peer})))
    return found


def reported(work: Work, draws: int, processes: Sequence[m.Contender]) -> set[str]:
    """Prints what the runs were beside their rates; who found another posterior than the reference."""
    wrong = set()
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
            wrong.add(process.name)
            print(f"{work.name}, {process.name} is wrong: {complaint}", file=sys.stderr, flush=True)
    return wrong


def main() -> None:
    options = m.options(__doc__)
    rounds = 1 if options.quick else options.rounds
    found = []
    for work in WORKS:
        draws = work.quick if options.quick else work.draws
        if draws is not None:
            chains = work.nutpie_chains // 4 if options.quick else work.nutpie_chains
            found += figures(work, draws, chains, rounds)
    print(m.table(found))


if __name__ == "__main__":
    main()
