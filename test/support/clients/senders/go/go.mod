module example.com/sender-program

go 1.19

require example.com/operational-events v0.1.0

replace example.com/operational-events => ../../../../../clients/go
