import { checkEnd, endOfMessage, LENGTH, type Reader, skipField, tag } from './fields.js';
import { readRecords } from './origins.js';

/** The fields of a `Metric` that hold points: gauge, sum, histogram, exponential histogram, summary. */
const DATA = new Set([5, 7, 9, 10, 11].map((field) => tag(field, LENGTH)));
const POINT = tag(1, LENGTH);

/**
 * Counts the points of an `ExportMetricsServiceRequest`.
 * @throws Error, RangeError when the bytes are not such a request
 */
export function countPoints(body: Buffer): number {
  let points = 0;
  for (const { item } of readRecords(body, readMetric)) points += item;
  return points;
}

function readMetric(reader: Reader): number {
  const end = endOfMessage(reader);
  let points = 0;
  while (reader.pos < end) {
    const next = reader.tag();
    if (DATA.has(next)) points += readData(reader);
    else skipField(reader, next);
  }
  checkEnd(reader, end);
  return points;
}

function readData(reader: Reader): number {
  const end = endOfMessage(reader);
  let points = 0;
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === POINT) points += 1;
    skipField(reader, next);
  }
  checkEnd(reader, end);
  return points;
}
