import './begin-counted.js';
import '../dashboard.spec.js';
