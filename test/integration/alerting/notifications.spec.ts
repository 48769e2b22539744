// These suites share the application of `../delivery/worker-app.ts`. Only imported files run on it, so each has no name of a spec file.
import './deliveries.js';
import './silences.js';
