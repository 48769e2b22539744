export { fold, foldingPairs, variantsOf } from './case-folding.js';
