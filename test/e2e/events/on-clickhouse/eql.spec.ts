import './begin.js';
import '../eql.spec.js';
