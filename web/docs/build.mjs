// Copies what the /docs and /redoc pages need into dist/docs, from where the Go binary embeds it: the two pages of this
// folder and the ready-made bundles of swagger-ui-dist and redoc. Nothing is loaded from another host at run time.
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const docs = dirname(fileURLToPath(import.meta.url));
const web = dirname(docs);
const target = join(web, "dist", "docs");

const files = [
  join(docs, "swagger.html"),
  join(docs, "swagger-start.js"),
  join(docs, "redoc.html"),
  join(docs, "redoc.css"),
  join(web, "node_modules", "swagger-ui-dist", "swagger-ui.css"),
  join(web, "node_modules", "swagger-ui-dist", "swagger-ui-bundle.js"),
  join(web, "node_modules", "swagger-ui-dist", "swagger-ui-bundle.js.LICENSE.txt"),
  join(web, "node_modules", "swagger-ui-dist", "favicon-32x32.png"),
  join(web, "node_modules", "redoc", "bundles", "redoc.standalone.js"),
  join(web, "node_modules", "redoc", "bundles", "redoc.standalone.js.LICENSE.txt"),
];

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const file of files) {
  copyFileSync(file, join(target, file.split(/[\\/]/).pop()));
}
console.log(`web/dist/docs: ${files.length} files`);
