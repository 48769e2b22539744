// Each of these suites has applications with their own settings. The file loads the code of the service once for both.
import './objects.js';
import './source-deletion.js';
