import { describeAnalytics } from './limits-of-reads/analytics.js';
import { describeEql } from './limits-of-reads/eql.js';
import { describeEventExports } from './limits-of-reads/event-exports.js';
import { describeLogSearches } from './limits-of-reads/logs.js';
import { describeSearch } from './limits-of-reads/search.js';
// Has many events, and so a database of its own.
import './limits-of-reads/performance.js';
import { service } from './limits-of-reads/service.js';

// The suites share the service, because loading and starting it takes four seconds of processor time.
describeAnalytics(service);
describeEql(service);
describeEventExports(service);
describeLogSearches(service);
describeSearch(service);
