// The first two suites share the application of `api-app.ts`.
import './operator-module.js';
import './test-control.js';
// These have applications with their own settings. The file loads the code of the service once for all of them.
import './audit-sink.js';
import './health.js';
