import './begin-counted.js';
import '../usage.spec.js';
