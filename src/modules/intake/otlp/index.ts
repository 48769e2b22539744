export { OTLP_ERROR_FORM } from './otlp-error-form.js';
export { OtlpModule } from './otlp.module.js';
