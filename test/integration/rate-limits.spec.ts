// Each of these suites has applications with its own limits. The file loads the code of the service once for all of them.
import './rate-limits/event-sources.js';
import './rate-limits/hooks.js';
import './rate-limits/intake.js';
import './rate-limits/policies.js';
import './rate-limits/sign-ins.js';
