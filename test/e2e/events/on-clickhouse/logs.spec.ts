import './begin.js';
import '../logs.spec.js';
