export { Clock, FixedClock, SystemClock } from './clock.js';
export { isTimeZone, TimeZone } from './time-zone.js';
