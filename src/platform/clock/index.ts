export { Clock, FixedClock, SystemClock } from './clock.js';
