// These suites share the application of `worker-app.ts`. Only imported files run on it, so each has no name of a spec file.
import './engine.js';
import './fairness.js';
import './header-secrets.js';
import './recovery.js';
