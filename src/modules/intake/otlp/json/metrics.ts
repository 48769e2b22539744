import { list, message } from './members.js';
import { recordsOf } from './origins.js';

const GROUPS = { resources: 'resourceMetrics', scopes: 'scopeMetrics', records: 'metrics' };
/** The members of a `Metric` that hold points. */
const DATA = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'];

/** Counts the points of an `ExportMetricsServiceRequest`. @throws UndecodableBody */
export function countPointsOf(body: unknown): number {
  let points = 0;
  const count = (metric: Readonly<Record<string, unknown>>): number =>
    DATA.reduce((sum, name) => sum + list(message(metric[name])['dataPoints']).length, 0);
  for (const { item } of recordsOf(body, GROUPS, count)) points += item;
  return points;
}
