export type { Authenticator, Verdict } from './auth/auth.ts';
export type { AccessRule } from './catalog/needs.ts';
export type {
  Change,
  Check,
  Checked,
  Completer,
  Mount,
  Offer,
  PromptEntry,
  Provider,
  ResourceEntry,
  Surroundings,
  TemplateEntry,
  ToolBounds,
  ToolEntry,
} from './catalog/provider.ts';
export { createServer, type Server, type ServerOptions } from './catalog/server.ts';
export type { ItemHandle, MountHandle } from './catalog/shelf.ts';
export type {
  ContentsItem,
  ContentsReturn,
  ContentsSpec,
  ItemSpec,
  MessageItem,
  PromptArgumentSpec,
  PromptArguments,
  PromptHandler,
  PromptInput,
  PromptReturn,
  PromptSpec,
  ResourceHandler,
  ResourceSpec,
  TemplateHandler,
  TemplateSpec,
  ToolHandler,
  ToolInput,
  ToolReply,
  ToolReturn,
  ToolSpec,
  WireToolReply,
} from './catalog/specs.ts';
export type { TemplateVariables, VariableName } from './catalog/variables.ts';
export type { AuditEntry, AuditOptions, AuditSink } from './core/policies/audit.ts';
export type { HttpHandler, HttpHandlerAccess, HttpHandlerOptions } from './host/http-adapter.ts';
export { createHttpHandler } from './host/http-handler.ts';
export { type ServeStdioOptions, serveStdio } from './host/serve-stdio.ts';
export type { Ask, Call, Elicited, ElicitRequest, ElicitUrlRequest } from './model/call.ts';
export type { ClientCapabilities, ServerCapabilities } from './model/capabilities.ts';
export { Fault, type FaultCode, type FaultDetails, type FaultKind, ToolError } from './model/fault.ts';
export type { IsolateOptions } from './model/isolate.ts';
export type {
  Annotations,
  AudioContent,
  Content,
  EmbeddedResource,
  Freshness,
  Icon,
  ImageContent,
  Implementation,
  Prompt,
  PromptArgument,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceLink,
  ResourceTemplate,
  Role,
  SamplingContent,
  TextContent,
  Tool,
  ToolAnnotations,
  ToolResult,
  ToolResultContent,
  ToolUseContent,
} from './model/items.ts';
export type { Eventually, Json, JsonLiteral, JsonObject } from './model/json.ts';
export { LIMITS, type LimitName, type Limits } from './model/limits.ts';
export type { Log, Severity } from './model/log.ts';
export type {
  ElicitedValue,
  LogLevel,
  Notice,
  Peer,
  Principal,
  QuestionAnswer,
  QuestionAsk,
  QuestionKind,
  Questions,
  Root,
  SampleRequest,
  SamplingMessage,
  TaskView,
  WatchFilter,
  WireId,
} from './model/peer.ts';
export type { RateLimit } from './model/rate.ts';
export type { Task, TaskStatus, TaskSupport, TaskTicket, TaskTrouble } from './model/tasks.ts';
export type { Answer, CompletionRef } from './model/verbs.ts';
export { type IsolatedModule, isolated } from './providers/isolated/isolated.ts';
export type { Infer, InferInput } from './schema/infer.ts';
export type { LiteralSchema, SchemaSource, StandardSchema } from './schema/standard.ts';
export { type OpenOptions, openStore } from './store/open.ts';
export {
  type AppendOptions,
  type Counters,
  type Held,
  type Inboxes,
  type KeyPage,
  type Listener,
  type ListOptions,
  type LogEntry,
  type LogPage,
  type Logs,
  type PutOptions,
  type Records,
  type Store,
  StoreError,
  type StoreTrouble,
  type Taken,
  type TakeOptions,
  type Topics,
} from './store/store.ts';
