export { ReencryptionUpkeep } from './reencryption.upkeep.js';
export { SealedColumn, sealedColumns } from './sealed-column.js';
export { SealedValuesRepository } from './sealed-values.repository.js';
