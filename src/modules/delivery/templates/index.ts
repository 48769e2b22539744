export { SecretText } from './secret-text.js';
export {
  addressed,
  type BodyTemplate,
  type RenderedRequest,
  renderTemplate,
  secretNamesOf,
  templateFaults,
  UnbuildableTemplate,
} from './template.js';
export { TEMPLATE_DOCUMENT } from './template-document.js';
export { type StoredParameters, TemplateSecretUses } from './template-secret-uses.js';
export { TemplateSecretsService } from './template-secrets.service.js';
export { exampleValues, type ProjectOfTemplate, templateValues, type TemplateValues } from './template-values.js';
export { TemplatesModule } from './templates.module.js';
