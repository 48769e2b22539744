import './begin.js';
import '../../properties/export-sizes.spec.js';
