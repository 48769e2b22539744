import './begin.js';
import '../event-retention.spec.js';
