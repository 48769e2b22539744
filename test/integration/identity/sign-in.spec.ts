// The first two suites share the application of `policy-service.ts`.
import './oauth.js';
import './sign-in-policy.js';
// These have applications of their own. The file loads the code of the service once for all of them.
import './oauth-hostile.js';
import './oauth-network.js';
import './password-reset.js';
