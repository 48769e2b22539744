import './begin.js';
import '../explorer.spec.js';
