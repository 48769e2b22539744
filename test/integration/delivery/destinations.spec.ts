// Each of these suites has an application with its own settings. The file loads the code of the service once for both.
import './email.js';
import './hostile.js';
