// Each of these suites has applications with its own settings. The file loads the code of the service once for all of them.
import './ingest-direct.js';
import './ingest-maintenance.js';
import './quota-notices.js';
