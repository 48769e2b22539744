export { bareName, oneLine } from './bare-text.js';
export { CaptureMailer, type CaptureMailerOptions } from './capture-mailer.js';
export { Mailer, type Mail, type MailResult } from './mailer.js';
export { programOf } from './program-name.js';
export { ReportingMailer } from './reporting-mailer.js';
export { SmtpMailer, type SmtpMailerOptions } from './smtp-mailer.js';
