// Measures how many faults of generated projects are found and how soon, and how many findings have no fault.
import { DAY, JUDGED_FROM, projectOf } from './generator.mjs';
import { findingsOf } from './watch.mjs';

/**
 * How many buckets after its beginning a fault of each kind may be found, by the thresholds in docs/guide/sentinel.md.
 */
const WITHIN = { rate_spike: 1, rate_drop: 4, silence: 4, error_burst: 1, latency_shift: 3 };
const SAME = { rate_drop: ['rate_drop', 'silence'], silence: ['rate_drop', 'silence'] };
/** A finding may begin so many buckets after the end of its fault. */
const TAIL = 6;
/** The bucket of a Monday, 00:00. */
const FIRST = 2 * 7 * DAY * 1_000 + 4 * DAY;

export function qualityOf(seeds) {
  const sum = { faults: 0, found: 0, findings: 0, right: 0, delays: [], missed: [], wrong: [], confirmations: 0 };
  for (const seed of seeds) {
    const project = projectOf(seed, FIRST);
    const { findings, confirmations } = findingsOf(project, FIRST);
    sum.confirmations += confirmations;
    for (const fault of project.faults) {
      sum.faults++;
      const found = findings.filter((finding) => isOf(finding, fault) && isKind(finding, fault));
      if (found.length === 0) sum.missed.push(`${seed} ${fault.kind} ${fault.series.value}`);
      else {
        sum.found++;
        sum.delays.push(Math.max(0, Math.min(...found.map(({ from }) => from)) + 1 - fault.from - WITHIN[fault.kind]));
      }
    }
    for (const finding of findings) {
      sum.findings++;
      if (project.faults.some((fault) => isOf(finding, fault))) sum.right++;
      else sum.wrong.push(`${seed} ${finding.subject.kind} ${finding.subject.series.value} at ${finding.from}`);
    }
  }
  const weeks = (seeds.length * (28 * DAY - JUDGED_FROM)) / (7 * DAY);
  return {
    row: {
      projects: seeds.length,
      faults: sum.faults,
      recall: ratio(sum.found, sum.faults),
      precision: ratio(sum.right, sum.findings),
      'false a project and week': ratio(sum.findings - sum.right, weeks),
      'median delay after the limit, buckets': sum.delays.sort((a, b) => a - b)[sum.delays.length >> 1],
      confirmations: sum.confirmations,
    },
    missed: sum.missed,
    wrong: sum.wrong,
  };
}

function isOf({ from, to }, fault) {
  return from < fault.to + TAIL && to >= fault.from;
}

function isKind({ subject: { kind } }, fault) {
  return (SAME[fault.kind] ?? [fault.kind]).includes(kind);
}

function ratio(a, b) {
  return Number((a / b).toFixed(3));
}
