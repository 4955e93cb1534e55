-- Sends the requests of a file in random order (one per line: project, token and path). Prints the figures as JSON.
local requests = {}

function init(args)
  math.randomseed(tonumber(args[2]))
  for line in io.lines(args[1]) do
    local project, token, path = line:match("^(%S+) (%S+) (%S+)$")
    local headers = { ["kind-project-key"] = project }
    if token ~= "-" then headers.authorization = "Bearer " .. token end
    requests[#requests + 1] = wrk.format("GET", path, headers)
  end
end

function request()
  return requests[math.random(#requests)]
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"seconds":%f,"refused":%d,"broken":%d,"p50":%f,"p99":%f}\n',
    summary.requests, summary.duration / 1e6, e.status, e.connect + e.read + e.write + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000
  ))
end
