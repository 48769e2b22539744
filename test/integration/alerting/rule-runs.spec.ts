// These suites share the application of `api-app.ts`. Only imported files run on it, so each has no name of a spec file.
import './evaluation.js';
import './runs.js';
