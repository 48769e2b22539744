// Evaluates a generated project as the worker does, bucket by bucket, but without a database.
import { profileOf } from '../../dist/src/modules/alerting/sentinel/baseline/profile.js';
import { causesOf } from '../../dist/src/modules/alerting/sentinel/detection/causes.js';
import { subjectKey } from '../../dist/src/modules/alerting/sentinel/detection/finding-kinds.js';
import { detectInSeries } from '../../dist/src/modules/alerting/sentinel/detection/detect-in-series.js';
import { confirms } from '../../dist/src/modules/alerting/sentinel/detectors/confirmation.js';
import { moveOf } from '../../dist/src/modules/alerting/sentinel/findings/finding-life.js';
import { DAY, JUDGED_FROM } from './generator.mjs';

/** @returns the number of confirmations, and findings: { subject, from, to } in buckets from the project's first one */
export function findingsOf({ series }, first) {
  const newest = new Map();
  const findings = [];
  const state = series.map((one) => ({ ...one, silentSince: null, profile: null }));
  const buckets = series[0].track.events.length;
  let confirmations = 0;
  const isOpen = (one) => newest.get(subjectKey(one))?.status === 'open';
  for (let at = JUDGED_FROM; at < buckets; at++) {
    const bucket = first + at;
    const judged = state.flatMap((one) => {
      if ((at - JUDGED_FROM) % DAY === 0) one.profile = profileOf(one.track, bucket);
      one.silentSince = one.track.events[at] > 0 ? null : (one.silentSince ?? bucket);
      const detections = detectInSeries({
        series: one.series,
        track: one.track,
        profile: one.profile,
        bucket,
        silentSince: one.silentSince,
        takenSince: null,
        raised: () => 1,
      });
      return detections.map((detection) => {
        if (detection.assessment.level !== 'candidate') return detection;
        // An open finding continues without a confirmation.
        if (isOpen(detection)) return { ...detection, assessment: { ...detection.assessment, level: 'unusual' } };
        confirmations++;
        const metric = detection.kind === 'latency_shift' ? 'p95' : 'events';
        const level = confirms(one.track, one.profile, metric, bucket) ? 'told' : 'unusual';
        return { ...detection, assessment: { ...detection.assessment, level } };
      });
    });
    const active = judged.filter(
      ({ assessment: { level }, ...one }) => level === 'told' || (level === 'unusual' && isOpen(one)),
    );
    const told = new Set(causesOf(active).map((cause) => cause.told));
    for (const one of judged) {
      const key = subjectKey(one);
      const level = one.assessment.level === 'told' && !told.has(one) ? 'unusual' : one.assessment.level;
      const finding = newest.get(key) ?? null;
      const move = moveOf(finding, level, bucket, false);
      if (move === 'open') {
        const opened = { subject: one, from: at, to: at, status: 'open', lastSeen: bucket, resolvedIn: null };
        newest.set(key, opened);
        findings.push(opened);
      } else if (move === 'reopen' || move === 'extend')
        Object.assign(finding, { status: 'open', lastSeen: bucket, to: at });
      else if (move === 'resolve') Object.assign(finding, { status: 'resolved', resolvedIn: bucket });
    }
  }
  return { findings, confirmations };
}
