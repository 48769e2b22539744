import './begin.js';
import '../search.spec.js';
