# One function for each client: generates it into the current folder, compiles it and runs its smoke test.

openapi_generator() {
  local version=7.25.0 repository="$HOME/.m2/repository/org/openapitools/openapi-generator-cli"
  local jar="$repository/$version/openapi-generator-cli-$version.jar"
  [[ -f $jar ]] || mvn -q dependency:get -Dartifact="org.openapitools:openapi-generator-cli:$version"
  java -jar "$jar" generate -i "$DOCUMENT" -o client "$@"
}

client-python() {
  # Without the webhooks of the document, for which its Python templates write code that is not valid.
  openapi_generator -g python --additional-properties=packageName=outrider \
    --global-property apis,models,supportingFiles
  python3 -m venv venv
  venv/bin/pip install --quiet ./client
  venv/bin/python -m compileall -q client/outrider
  venv/bin/python "$CLIENTS/smoke_openapi_generator.py"
}

client-go() {
  openapi_generator -g go --additional-properties=packageName=outrider,withGoMod=false
  rm -r client/test
  smoke_go "$CLIENTS/smoke_openapi_generator.go.txt"
}

client-java() {
  # Else its PATCH empties every list of a campaign that it was not told to change.
  openapi_generator -g java --library native --additional-properties=containerDefaultToNull=true
  mkdir -p client/src/main/java/smoke
  cp "$CLIENTS/Smoke.java" client/src/main/java/smoke/
  cd client
  mvn -q compile -DskipTests
  mvn -q -e org.codehaus.mojo:exec-maven-plugin:3.5.0:java -Dexec.mainClass=smoke.Smoke
}

client-oapi-codegen() {
  GOBIN="$PWD/bin" go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
  mkdir client
  # It would prune what only the webhooks of the document refer to, and then miss it.
  bin/oapi-codegen -package outrider -generate types,client,skip-prune "$DOCUMENT" >client/outrider.go
  smoke_go "$CLIENTS/smoke_oapi_codegen.go.txt"
}

smoke_go() {
  go mod init smoke
  cp "$1" main.go
  go mod tidy
  go vet ./...
  go run .
}

client-openapi-python-client() {
  python3 -m venv venv
  venv/bin/pip install --quiet openapi-python-client==0.29.1
  PATH="$PWD/venv/bin:$PATH" venv/bin/openapi-python-client generate --path "$DOCUMENT" \
    --output-path outrider --meta none --fail-on-warning
  venv/bin/python -m compileall -q outrider
  PYTHONPATH=. venv/bin/python "$CLIENTS/smoke_openapi_python_client.py"
}

client-hey-api() {
  npm init -y >/dev/null
  npm install --silent @hey-api/openapi-ts@0.99.0 typescript@6.0.3 @types/node@26.6.6 esbuild@0.28.2
  npx openapi-ts -i "$DOCUMENT" -o client
  cp "$CLIENTS/smoke.ts.txt" smoke.ts
  npx tsc --strict --skipLibCheck --module preserve --moduleResolution bundler --target es2024 \
    --types node --noEmit smoke.ts
  npx esbuild smoke.ts --bundle --platform=node --format=esm --outfile=smoke.mjs
  node smoke.mjs
}
