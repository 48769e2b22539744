export { bareName, oneLine } from './bare-text.js';
export { CaptureMailer } from './capture-mailer.js';
export { Mailer, type Mail, type MailResult } from './mailer.js';
export { programOf } from './program-name.js';
export { ReportingMailer } from './reporting-mailer.js';
export { SmtpMailer } from './smtp-mailer.js';
