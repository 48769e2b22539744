import './begin.js';
import '../event-reads.spec.js';
