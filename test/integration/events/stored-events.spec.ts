// These suites share the application of `api-app.ts`. Only imported files run on it, so each has no name of a spec file.
import './dashboard.js';
import './event-totals.js';
import './search-sql.js';
import './source-monitoring.js';
import './usage.js';
// These have applications of their own, because they change or count all events of a database.
import './event-retention.js';
import './hour-rollups.js';
